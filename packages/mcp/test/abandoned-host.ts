import { openSession } from '@data-designer/mcp';
import { stdioServer } from './providers.ts';

// Opens a session and never closes it: what becomes of the server when its host is killed? With the argument `stubborn`
// it is one that heeds neither its stdin nor SIGTERM.
const mode = process.argv[2];
const env = { EVENTS: process.env.EVENTS ?? '' };
await openSession(mode === 'stubborn' ? stdioServer('raw', ['stubborn'], env) : stdioServer('tools', [], env));
process.stdout.write('open\n');
setInterval(() => undefined, 1_000);
