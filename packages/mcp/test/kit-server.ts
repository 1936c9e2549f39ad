import { serveTools } from '@data-designer/mcp';
import { servedKit } from './served-kit.ts';

// Serves the kit over stdio.
await serveTools(servedKit, {
  name: 'kit',
  version: '1.0.0',
  transport: 'stdio',
  readResource: (uri) => `the text of ${uri}`,
});
