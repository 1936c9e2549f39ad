export { serveViewer, type Viewer } from './server/serve-viewer.ts';
export { type PrivateParts, privateParts, writeCopy } from './server/write-copy.ts';
