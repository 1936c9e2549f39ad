import { errorIn } from '../../answers/model-refusals.ts';
import type { ModelProtocol } from '../../model-protocol.ts';
import { REQUEST_RULES } from '../../rules/request-rules.ts';
import { joinMessageEvents } from './join-message-events.ts';

/** Anthropic's Messages: chats alone. */
export const anthropic: ModelProtocol = {
  name: 'anthropic',
  generationTypes: ['chat-completion'],
  takesSchemas: false,
  takesSeed: false,
  paths: {
    messages: {
      looksUsable: (body) => !body.includes('"error"') && BLOCKS.test(body),
      problemIn: (answer) => {
        const isUsable = Array.isArray(answer.content) && (!answer.error || answer.content.length > 0);
        return isUsable ? undefined : { error: errorIn(answer), reason: "it contains no 'content'" };
      },
      joinEvents: joinMessageEvents,
      countImages: () => 0,
    },
  },
  basePath: '/v1',
  listQuery: 'limit=1000',
  // The version that NeMo Data Designer speaks, too.
  headers: { 'anthropic-version': '2023-06-01' },
  keyHeaders: (apiKey) => ({ 'x-api-key': apiKey }),
  publicHeaders: ['anthropic-beta', 'anthropic-version'],
  rules: REQUEST_RULES.anthropic,
  loadRequests: async () => (await import('./anthropic-requests.ts')).anthropicRequests,
};

/** An answer may hold no blocks, but must have the list. */
const BLOCKS = /"content"\s*:\s*\[/;
