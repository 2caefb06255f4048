import { describe, expect, test } from 'vitest';
import { infoPage } from '../../src/about/page/info/page.ts';
import { testPage } from '../../src/about/page/test/page.ts';
import { devicePage } from '../../src/device-login/page/device/page.ts';
import { errorPage } from '../../src/http/page/error/page.ts';
import { loginPage } from '../../src/signin/page/login/page.ts';
import { render, rendererOptions, sampleOf } from '../support/pages.ts';

const { brand } = rendererOptions;
const picture = (name: string) => ({ address: `/authsvc/brand/${name}.svg`, type: 'image/svg+xml' });

describe('links to the start page of the application', () => {
  const session = sampleOf(testPage, 'session');

  test('go to the target of a sign-in', () => {
    const notFound = render(errorPage, sampleOf(errorPage, 'not-found'));

    const start = /<a href="\/dashboard"[^>]*><span class="button-label">Go to the start page</;
    expect(notFound).toMatch(start);
    expect(render(devicePage, { state: 'denied' })).toMatch(start);
    expect(render(testPage, session)).toMatch(
      /<a href="\/dashboard"[^>]*><span class="button-label">Continue to Harbour</,
    );
  });

  test.each(['/authsvc/', '/authsvc', '/authsvc?x', 'https://auth.example.com/authsvc/'])(
    'are not offered if the target is a page of the service itself: %s',
    (home) => {
      expect(render(testPage, session, { home })).not.toContain('Continue to Harbour');
    },
  );

  test.each(['/authsvcs', 'https://app.example.com', 'https://app.example.com/?from=/authsvc/'])(
    'are offered if the target only looks like a page of the service: %s',
    (home) => {
      expect(render(testPage, session, { home })).toContain('Continue to Harbour');
    },
  );
});

describe("the operator's logos", () => {
  test.each([
    [false, 'alt="">\n<span>Harbour</span>\n</a>'],
    [true, 'alt="Harbour">\n</a>'],
  ])('are beside the name or replace it (name in the logo: %s)', (hasName, end) => {
    const logo = { ...picture('logo'), hasName, dark: undefined };

    const html = render(infoPage, sampleOf(infoPage, 'unknown'), { brand: { ...brand, logo } });

    expect(html).toContain(`src="/authsvc/brand/logo.svg" ${end}`);
  });

  test("are on the providers' buttons", () => {
    const providerLogos = { codehost: picture('codehost') };

    const html = render(loginPage, sampleOf(loginPage, 'anonymous'), { brand: { ...brand, providerLogos } });

    expect(html).toContain('src="/authsvc/brand/codehost.svg" alt=""');
    expect(html.match(/class="provider-logo"/g)).toHaveLength(1);
  });
});
