#!/usr/bin/env node
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 12)) {
  process.stderr.write(`Node 22.12 or newer is needed; this is ${process.versions.node}.\n`);
  process.exit(1);
}

try {
  await import('../dist/command-line/main.js');
} catch (error) {
  if (error?.code !== 'ERR_MODULE_NOT_FOUND' || !String(error.message).includes('main.js')) throw error;
  process.stderr.write('This checkout is not built: run npm run build.\n');
  process.exit(1);
}
