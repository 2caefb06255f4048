import type { Page } from 'playwright-core';

/** Adds a virtual authenticator to the browser. It answers at once. */
export async function addAuthenticator(page: Page) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    /** Sets whether the person touches the authenticator as soon as it is asked. */
    setPresent: (enabled: boolean) => cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled }),
    /** Sets whether the authenticator recognizes the person. */
    setVerified: (isUserVerified: boolean) => cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
    credentials: async () => (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
    /** Replaces its only key with a changed copy. */
    replace: async (change: { signCount?: number; rpId?: string }) => {
      const [credential] = (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials;
      if (!credential) throw new Error('the authenticator has no key');
      await cdp.send('WebAuthn.removeCredential', { authenticatorId, credentialId: credential.credentialId });
      await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: { ...credential, ...change } });
    },
  };
}
