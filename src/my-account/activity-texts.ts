import type { Language } from '../ui/texts/languages.ts';
import type { ActivityEvent } from './list-activity.ts';

type Details = ActivityEvent['details'];
type Sentence = (details: Details, labelOf: LabelOf, application: string | undefined) => string;

/** Returns the label of a provider from its name. */
export type LabelOf = (provider: string) => string;

const textOf = (details: Details, name: string): string => String(details[name] ?? '');

/**
 * Returns the key of the sentence for an event: the name of the event and, if that is not specific enough, some of
 * its details.
 */
function kindOf({ event, details }: Pick<ActivityEvent, 'event' | 'details'>): string {
  switch (event) {
    case 'user.signed_in':
      return details.second_factor === 'recovery_code' ? `${event} recovery_code` : event;
    case 'factor.changed':
      return `${event} ${textOf(details, 'kind')} ${textOf(details, 'change')}`;
    case 'user.updated':
      return Array.isArray(details.fields) && ['email', 'email_pending'].includes(details.fields.join())
        ? `${event} ${details.fields.join()}`
        : event;
    case 'connection.changed':
      return `${event} ${textOf(details, 'change')}`;
    case 'password.changed':
      return textOf(details, 'way') === 'self' || textOf(details, 'way') === 'command' ? event : `${event} link`;
    default:
      return event;
  }
}

/** Returns how a user signed in: the label of a provider, or the word for another method. */
function methodOf(details: Details, words: Readonly<Record<string, string>>, labelOf: LabelOf): string {
  const method = textOf(details, 'method');
  return words[method] ?? labelOf(method);
}

const enMethods = { password: 'password', link: 'link', passkey: 'passkey' };

const en: Readonly<Record<string, Sentence>> = {
  'user.created': () => 'Account created',
  'user.updated': () => 'Account details changed',
  'user.updated email': () => 'E-mail address changed',
  'user.updated email_pending': () => 'Unconfirmed e-mail address changed',
  'user.deactivated': () => 'Account deactivated',
  'user.reactivated': () => 'Account activated again',
  'user.signed_in': (details, labelOf) => `Signed in (${methodOf(details, enMethods, labelOf)})`,
  'user.signed_in recovery_code': (details, labelOf) =>
    `Signed in (${methodOf(details, enMethods, labelOf)}, recovery code)`,
  'session.switched': () => 'Switched to this account',
  'session.ended': (details) =>
    details.sessions === 1 ? 'A session ended' : `${textOf(details, 'sessions')} sessions ended`,
  'password.changed': () => 'Password changed',
  'password.changed link': () => 'Password set with a link',
  'grant.changed': ({ change }, _labelOf, application = 'an application') =>
    change === 'withdrawn' ? `Access of ${application} withdrawn` : `Access given to ${application}`,
  'link.issued': () => 'Link for a new password created',
  'factor.changed totp added': () => 'Authenticator app set up',
  'factor.changed totp renewed': () => 'Authenticator app replaced',
  'factor.changed totp removed': () => 'Authenticator app removed',
  'factor.changed recovery_codes renewed': () => 'New recovery codes made',
  'factor.changed trusted_browser removed': () => 'Trusted browsers removed',
  'factor.changed passkey added': () => 'Passkey added',
  'factor.changed passkey renewed': () => 'Passkey renamed',
  'factor.changed passkey removed': () => 'Passkey removed',
  'connection.changed added': (details, labelOf) => `Connected to ${labelOf(textOf(details, 'provider'))}`,
  'connection.changed removed': (details, labelOf) => `Disconnected from ${labelOf(textOf(details, 'provider'))}`,
  'token.created': () => 'API token created',
  'token.revoked': () => 'API token revoked',
  'device.approved': (details) => `Program approved: ${textOf(details, 'client_name')}`,
  'device.denied': (details) => `Program denied: ${textOf(details, 'client_name')}`,
  'sign_in.refused': () => 'Sign-in refused',
  'confirmation.refused': () => 'Confirmation refused',
  'request.refused': () => 'Request refused',
};

const deMethods = { password: 'Passwort', link: 'Link', passkey: 'Passkey' };

const de: Readonly<Record<string, Sentence>> = {
  'user.created': () => 'Konto angelegt',
  'user.updated': () => 'Angaben zum Konto geändert',
  'user.updated email': () => 'E-Mail-Adresse geändert',
  'user.updated email_pending': () => 'Unbestätigte E-Mail-Adresse geändert',
  'user.deactivated': () => 'Konto deaktiviert',
  'user.reactivated': () => 'Konto wieder aktiviert',
  'user.signed_in': (details, labelOf) => `Angemeldet (${methodOf(details, deMethods, labelOf)})`,
  'user.signed_in recovery_code': (details, labelOf) =>
    `Angemeldet (${methodOf(details, deMethods, labelOf)}, Wiederherstellungscode)`,
  'session.switched': () => 'Zu diesem Konto gewechselt',
  'session.ended': (details) =>
    details.sessions === 1 ? 'Eine Sitzung beendet' : `${textOf(details, 'sessions')} Sitzungen beendet`,
  'password.changed': () => 'Passwort geändert',
  'password.changed link': () => 'Passwort über einen Link gesetzt',
  'grant.changed': ({ change }, _labelOf, application) =>
    change === 'withdrawn'
      ? `Zugriff von ${application ?? 'einer Anwendung'} entzogen`
      : `Zugriff für ${application ?? 'eine Anwendung'} erlaubt`,
  'link.issued': () => 'Link für ein neues Passwort erstellt',
  'factor.changed totp added': () => 'Authenticator-App eingerichtet',
  'factor.changed totp renewed': () => 'Authenticator-App ersetzt',
  'factor.changed totp removed': () => 'Authenticator-App entfernt',
  'factor.changed recovery_codes renewed': () => 'Neue Wiederherstellungscodes erstellt',
  'factor.changed trusted_browser removed': () => 'Vertrauenswürdige Browser entfernt',
  'factor.changed passkey added': () => 'Passkey hinzugefügt',
  'factor.changed passkey renewed': () => 'Passkey umbenannt',
  'factor.changed passkey removed': () => 'Passkey entfernt',
  'connection.changed added': (details, labelOf) => `Mit ${labelOf(textOf(details, 'provider'))} verknüpft`,
  'connection.changed removed': (details, labelOf) =>
    `Verknüpfung mit ${labelOf(textOf(details, 'provider'))} getrennt`,
  'token.created': () => 'API-Token erstellt',
  'token.revoked': () => 'API-Token widerrufen',
  'device.approved': (details) => `Programm erlaubt: ${textOf(details, 'client_name')}`,
  'device.denied': (details) => `Programm abgelehnt: ${textOf(details, 'client_name')}`,
  'sign_in.refused': () => 'Anmeldung abgelehnt',
  'confirmation.refused': () => 'Bestätigung abgelehnt',
  'request.refused': () => 'Anfrage abgelehnt',
};

const sentences: Readonly<Record<Language, typeof en>> = { en, de };

/**
 * Describes an event in one short sentence. If there is no sentence for the event, returns the name of the event.
 *
 * @param event application: display name of the application, not its key
 */
export const activityText = (
  language: Language,
  event: Pick<ActivityEvent, 'event' | 'details'> & { application?: string | undefined },
  labelOf: LabelOf,
): string => sentences[language][kindOf(event)]?.(event.details, labelOf, event.application) ?? event.event;
