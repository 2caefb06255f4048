import { describe, expect, test } from 'vitest';
import { loadSettings } from '../settings/load.ts';
import { providerSwitches } from '../settings/provider-names.ts';
import { settingsTable } from '../settings/table.ts';
import { describeService, publicSettings } from './describe-service.ts';
import { infoPage, settingGroups } from './page/info/page.ts';

const settings = loadSettings({ env: { APP_NAME: 'harbour' }, folder: '/nonexistent' });

test.each([
  [null, null, false],
  ['1.2.3', '1.2.3', false],
  ['1.2.4', '1.2.4', true],
  ['1.10.0', '1.10.0', true],
  ['1.2.2', '1.2.2', false],
  ['1.2.3-rc.1', '1.2.3-rc.1', false],
  ['not a version', null, false],
])(
  'if version 1.2.3 runs and %j is the newest release, latest_version is %j and update_available is %j',
  (latest, shown, update) => {
    const info = describeService(settings, '1.2.3', latest);

    expect(info).toMatchObject({ version: '1.2.3', latest_version: shown, update_available: update });
  },
);

test('the info page has every public setting in one of its groups, with a name in every language', () => {
  const shown = [...publicSettings].toSorted();
  // The page shows a provider's on/off setting under the provider's name, so the setting needs no name of its own.
  const named = shown.filter((key) => !providerSwitches.some((switchKey) => switchKey === key));
  expect(settingGroups.flatMap(({ keys }) => keys).toSorted()).toEqual(shown);
  for (const { names, groups } of Object.values(infoPage.texts)) {
    expect(Object.keys(Object(names)).toSorted()).toEqual(named);
    expect(Object.keys(Object(groups))).toEqual(settingGroups.map(({ name }) => name));
  }
});

describe('the public configuration', () => {
  const secrets = Object.entries(settingsTable).flatMap(([key, row]) => ('secret' in row && row.secret ? [key] : []));

  test('never includes a secret setting', () => {
    expect(secrets.length).toBeGreaterThan(3);
    for (const key of publicSettings) expect(secrets).not.toContain(key);
  });

  test('never reveals where the service runs or keeps its data', () => {
    for (const key of [
      'DATABASE_URL',
      'HOST',
      'TRUST_PROXY',
      'WEBSSO_ISSUER',
      'CODEHOST_TOKEN_URL',
      'WEBSSO_CLIENT_ID',
    ]) {
      expect(publicSettings).not.toContain(key);
    }
  });

  test('includes every public setting, with null for each that has no value', () => {
    const { config } = describeService(settings, '1.2.3', null);

    expect(Object.keys(config)).toEqual([...publicSettings]);
    expect(config).toMatchObject({ APP_NAME: 'harbour', DOMAIN: null, IS_DEPLOYED: false, MAX_TOKENS_PER_USER: 10 });
  });
});
