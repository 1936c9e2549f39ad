import { CallingMachine, type CallingOptions } from './calling-machine.ts';

// A machine in a process of its own: calls its model until its parent ends it.

const machine = await CallingMachine.start(JSON.parse(process.argv[2] ?? '{}') as CallingOptions);
process.stdout.write('ready\n');
process.stdin.once('end', () => process.exit(1)).resume();
process.once('SIGTERM', () => void machine[Symbol.asyncDispose]().then(() => process.exit(0)));
