#!/usr/bin/env node
import process from 'node:process';

// Must run before the other modules are imported. Source maps are used only for modules that are loaded after this
// call; stack traces of earlier modules contain lines of the bundle.
process.setSourceMapsEnabled(true);
await import('./start.ts');
