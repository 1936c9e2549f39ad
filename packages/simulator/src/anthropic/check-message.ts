import { fieldsOf, TOOL_NAME } from '@data-designer/core';
import { type Block, blocksOf, type Message } from './messages-request.ts';
import { signThinking } from './sign-thinking.ts';

/** Whether thinking is switched on, and what the server signs it with. */
interface Thinking {
  readonly seed: number;
  readonly thinks: boolean;
}

/** What is wrong with one message, after its place; undefined when nothing is. */
export function checkMessage(message: unknown, thinking: Thinking): string | undefined {
  const { role, content }: Partial<Message> = fieldsOf(message);
  if (role !== 'user' && role !== 'assistant') return "role: must be 'user' or 'assistant'";
  if (content === '') return 'content: text must not be empty';
  if (typeof content !== 'string' && !(Array.isArray(content) && content.length > 0)) {
    return 'content: must be a text or a filled list of blocks';
  }
  const blocks = blocksOf(content);
  for (const [index, block] of blocks.entries()) {
    const wrong = problemOf(block, role, thinking);
    if (wrong !== undefined) return `content.${index}: ${wrong}`;
  }
  const calls = blocks.some(({ type }) => type === 'tool_use');
  const thought = blocks[0]?.type === 'thinking' || blocks[0]?.type === 'redacted_thinking';
  if (!thinking.thinks || !calls || thought) return undefined;
  return 'content.0: with thinking switched on, a message with tool_use must begin with its thinking block';
}

function problemOf(block: Block | null, role: Message['role'], { seed }: Thinking): string | undefined {
  if (typeof block !== 'object' || block === null) return 'must be a block';
  const check = Object.hasOwn(CHECKS[role], block.type) ? CHECKS[role][block.type] : undefined;
  if (check === undefined) return `a block of type '${block.type}' is not permitted here`;
  return check(block, seed);
}

type Check = (block: Block, seed: number) => string | undefined;

const text: Check = (block) => (block.text ? undefined : 'text content blocks must be non-empty');

/** What each role may say, and how. */
const CHECKS: Readonly<Record<Message['role'], Readonly<Record<string, Check>>>> = {
  user: {
    text,
    image: ({ source }) => {
      const { type, url, media_type: mediaType, data } = fieldsOf(source);
      if (type === 'url') return typeof url === 'string' ? undefined : 'source.url is missing';
      const whole = type === 'base64' && typeof mediaType === 'string' && typeof data === 'string' && data !== '';
      return whole ? undefined : 'source must be a url, or base64 with media_type and data';
    },
    tool_result: ({ tool_use_id: id }) => (typeof id === 'string' ? undefined : 'tool_use_id is missing'),
  },
  assistant: {
    text,
    tool_use: ({ id, name, input }) => {
      const isNamed = typeof id === 'string' && typeof name === 'string' && TOOL_NAME.test(name);
      const whole = isNamed && typeof input === 'object' && input !== null && !Array.isArray(input);
      return whole ? undefined : 'tool_use needs an id, a name that a tool may have, and an input that is an object';
    },
    thinking: ({ thinking = '', signature }, seed) =>
      signature === signThinking(thinking, seed) ? undefined : 'Invalid `signature` in `thinking` block',
    redacted_thinking: () => undefined,
  },
};
