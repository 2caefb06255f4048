// The routes for documentation and tests: those of a service with the default settings.
import { serviceRoutes } from '../../src/service-routes.ts';
import { loadSettings } from '../../src/settings/load.ts';

/** Every route of a service that has only the built-in providers. */
export const allRoutes = serviceRoutes(loadSettings({ env: {}, folder: '/nonexistent' }).identityProviders);
