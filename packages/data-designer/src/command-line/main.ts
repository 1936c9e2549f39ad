import { runCommandLine } from './command-line.ts';
import { guardOutput } from './guard-output.ts';

guardOutput();
process.exitCode = await runCommandLine(process.argv.slice(2));
