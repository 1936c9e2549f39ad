import { openSession } from '@data-designer/mcp';
import { stdioServer } from './providers.ts';

// Opens a session and never closes it: what becomes of the server when its host is killed?
await openSession(stdioServer('tools', [], { EVENTS: process.env.EVENTS ?? '' }));
process.stdout.write('open\n');
setInterval(() => undefined, 1_000);
