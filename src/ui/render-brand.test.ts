import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Brand } from './brand.ts';
import { createRenderer, type PageData, type TemplateName } from './render.ts';
import { samplePages } from './sample-pages.ts';

const samples = samplePages('ada');

/** A page as an operator has it who chose a home and pictures. */
function page<Name extends TemplateName>(
  name: Name,
  {
    data = samples[name][0],
    home = '/dashboard',
    ...chosen
  }: { data?: PageData[Name]; home?: string } & Partial<Brand> = {},
): string {
  const brand = {
    styles: undefined,
    logo: undefined,
    providerLogos: { codehost: undefined, websso: undefined },
    ...chosen,
  };
  const renderer = createRenderer({
    appName: 'Harbour',
    version: '1.2.3',
    providerNames: { codehost: 'GitLab', websso: 'Company login' },
    home,
    brand,
    templatesFolder: join(import.meta.dirname, 'templates'),
    asset: (asset) => `/assets/${asset}`,
  });
  return renderer.page(name, data, { language: 'en' });
}

const picture = (name: string) => ({ address: `/authsvc/brand/${name}.svg`, type: 'image/svg+xml' });

describe('ways to the start of the application', () => {
  test('lead to where a sign-in leads', () => {
    const notFound = { status: 404, message: '', code: 'NOT_FOUND', errorCode: 1202, hint: '', requestId: 'r-1' };

    expect(page('error', { data: notFound })).toContain('href="/dashboard">Go to the start page</a>');
    expect(page('device', { data: { state: 'denied' } })).toContain('href="/dashboard">Go to the start page</a>');
    expect(page('test')).toContain('href="/dashboard">Continue to Harbour</a>');
  });

  test.each(['/authsvc/', '/authsvc', '/authsvc?x', 'https://auth.example.com/authsvc/'])(
    'are not offered where that is a page of the service itself: %s',
    (home) => {
      expect(page('test', { home })).not.toContain('Continue to Harbour');
    },
  );

  test.each(['/authsvcs', 'https://app.example.com', 'https://app.example.com/?from=/authsvc/'])(
    'are offered where it only looks like one: %s',
    (home) => {
      expect(page('test', { home })).toContain('Continue to Harbour');
    },
  );
});

describe('pictures of the operator', () => {
  test.each([
    [false, 'alt=""><span>Harbour</span></a>'],
    [true, 'alt="Harbour"></a>'],
  ])('stand beside the name, or in its place (name in the logo: %s)', (hasName, end) => {
    const html = page('info', { logo: { ...picture('logo'), hasName } });

    expect(html).toContain(`src="/authsvc/brand/logo.svg" ${end}`);
  });

  test('stand on the buttons of the providers', () => {
    const html = page('login', { providerLogos: { codehost: picture('codehost'), websso: undefined } });

    expect(html).toContain('src="/authsvc/brand/codehost.svg" alt=""');
    expect(html.match(/class="provider-logo"/g)).toHaveLength(1);
  });
});
