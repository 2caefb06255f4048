#!/usr/bin/env node
import process from 'node:process';

// Files that are loaded before this call keep the lines of the bundle in their stack traces.
process.setSourceMapsEnabled(true);
await import('./start.ts');
