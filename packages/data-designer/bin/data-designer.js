#!/usr/bin/env node
try {
  await import('../dist/cli/main.js');
} catch (error) {
  if (error?.code !== 'ERR_MODULE_NOT_FOUND' || !String(error.message).includes('main.js')) throw error;
  process.stderr.write('This checkout is not built: run npm run build.\n');
  process.exit(1);
}
