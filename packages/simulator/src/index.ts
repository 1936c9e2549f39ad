import '@data-designer/core';
export { readLatency } from './latency.ts';
export { demoToolNames, demoToolsProgram, simulatorProgram } from './programs.ts';
export { type RunningSimulator, startSimulator } from './start-simulator.ts';
