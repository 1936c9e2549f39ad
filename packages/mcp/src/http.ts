// What every HTTP server of this project has in common; it loads nothing of the SDK.
export { listen } from './listen.ts';
export { guard } from './serve-guard.ts';
