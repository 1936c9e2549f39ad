import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

// Loaded ahead of a machine: its file system has no hard links, as FUSE mounts of buckets have none.

function refusal(): Error {
  return Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM' });
}

fs.promises.link = () => Promise.reject(refusal());
fs.linkSync = () => {
  throw refusal();
};
syncBuiltinESMExports();
