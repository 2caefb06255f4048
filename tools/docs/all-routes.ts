// The routes that documentation and tests walk over: those of a service with the default settings.
import { serviceRoutes } from '../../src/app.ts';
import { loadSettings } from '../../src/settings/load.ts';

/** Every route of a service without further providers. */
export const allRoutes = serviceRoutes(loadSettings({ env: {}, folder: '/nonexistent' }).identityProviders);
