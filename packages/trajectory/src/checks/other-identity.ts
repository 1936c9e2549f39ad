import { withoutCode } from '@data-designer/core';
import type { Trajectory, TrajectoryCheck } from '../trajectory.ts';

const PRODUCTS =
  'ChatGPT|GPT-?[345](?:\\.\\d)?[\\w-]*|Claude|Gemini|Bard|L[Ll]a[Mm][Aa]|Qwen|Tongyi Qianwen|通义千问|DeepSeek|Mistral|Mixtral|Le Chat|Grok|(?:Microsoft |GitHub )?Copilot|Kimi|ChatGLM|GLM-\\d|Ernie(?: Bot)?|ERNIE(?: Bot)?|文心一言|Doubao|豆包|Nemotron|Hunyuan|混元|InternLM|Gemma|Baichuan|Vicuna|YandexGPT|GigaChat|Bing Chat|Meta AI|MiniMax|Alexa|Siri|Cortana';
const VENDORS =
  'OpenAI|Anthropic|Google(?: DeepMind| AI)?|DeepMind|Meta(?: AI)?|Alibaba(?: Cloud| Group)?|阿里巴巴|阿里云|DeepSeek|深度求索|Mistral(?: AI)?|xAI|Microsoft|Moonshot(?: AI)?|月之暗面|Zhipu(?: AI)?|智谱(?:AI)?|Baidu|百度|ByteDance|字节跳动|NVIDIA|Nvidia|Cohere|Tencent|腾讯|MiniMax|IBM|01\\.AI|零一万物|Inflection(?: AI)?|Amazon|Apple|Yandex|Stability AI';

/** Whether a text names a model or its vendor: few do. */
const NAMES = new RegExp(`${PRODUCTS}|${VENDORS}`);

const KIND =
  '(?:(?!(?:of|the|with|for|using|about|to|and)\\b)[\\w,-]+ ){0,6}?(?:model|assistant|AI|chatbot|system|program|bot|LLM)';
const MADE =
  '(?:created|developed|trained|made|built|designed|released|provided|powered|entwickelt|trainiert|erstellt|geschaffen|développée?|créée?|entraînée?|conçue?|desarrollad[oa]|cread[oa]|entrenad[oa]|sviluppat[oa]|creat[oa]|addestrat[oa])';
const BY = "(?:by|from|von|par|por|da)\\s+(?:[\\w' ]{0,30}?\\b(?:at|of)\\s+)?(?:the (?:company|team) )?";
/** A surname: `I am Claude Monet` is no model. Names of versions are none. */
const NO_SURNAME =
  '(?!\\s(?!(?:Sonnet|Opus|Haiku|Instant|Pro|Ultra|Flash|Nano|Advanced|AI|Max|Turbo|Plus|Chat|Coder|Large|Small|Medium|Assistant|And|But)\\b)\\p{Lu}\\p{Ll}+)';
const I_AM =
  "(?:\\b(?:I am|I['’]m|[Mm]y name is|[Mm]y name['’]s|I am called|I['’]m called|[Cc]all me|Ich bin|ich bin|[Ii]ch heiße|[Mm]ein Name ist|[Jj]e suis|[Jj]e m['’]appelle|[Ss]oy|[Mm]e llamo|[Ss]ono|[Mm]i chiamo|[Ee]u sou|[Ii]k ben)|我是|我叫|私は|Меня зовут|저는)";

const PATTERNS = [
  `${I_AM}\\s*(?:(?:an? |the |eine? |une? |un )?${KIND},? (?:(?:called|named|known as|namens|appelé|llamado)\\s+)?)?(?<name>${PRODUCTS})(?![\\p{L}\\p{N}])${NO_SURNAME}`,
  `\\bI(?: was| am| have been|['’]m|['’]ve been) (?:\\w+ly )?${MADE}(?:,? (?:and|and then) \\w+)? ${BY}(?<name>${VENDORS})(?![\\p{L}\\p{N}])`,
  `(?:${I_AM}|\\b[Aa]s|\\b[Aa]ls)\\s+(?:just |only |simply )?(?:an? |the |eine? |une? |un |una )${KIND}(?:,? (?:that|which) (?:was|is|has been))?,? (?:${MADE}(?: and \\w+)? )?${BY}(?<name>${VENDORS})(?![\\p{L}\\p{N}])`,
  `\\b[Mm]y (?:creators?|developers?|makers?)(?:,| at| is| are| from)? (?<name>${VENDORS})(?![\\p{L}\\p{N}])`,
  `\\b[Ii]ch (?:bin|wurde)\\b[^.!?\\n]{0,60}?\\bvon (?<name>${VENDORS})\\b[^.!?\\n]{0,20}?${MADE}`,
  `\\b(?:[Jj]e suis|[Jj]['’]ai été|[Ss]oy|[Ff]ui|[Hh]e sido|[Ss]ono)\\b[^.!?\\n]{0,60}?${MADE} (?:par|por|da) (?<name>${VENDORS})(?![\\p{L}\\p{N}])`,
  `我是?[^。！？\\n]{0,12}?由?(?<name>${VENDORS})[^。！？\\n]{0,12}?(?:开发|训练|创建|研发|推出)`,
].map((pattern) => new RegExp(pattern, 'gu'));

/** Assistants that call themselves by the name of a known model, or name its vendor as theirs. */
export const otherIdentity = {
  kind: 'other_identity',
  description:
    'An assistant that says it is a known model or made by its vendor, unless the system message or `identity` names it.',
  find(trajectory, report) {
    trajectory.messages.forEach(({ role, text }, index) => {
      if (role !== 'assistant' || !NAMES.test(text)) return;
      const claim = claimIn(withoutCode(text), namesOf(trajectory));
      if (claim !== undefined) report(index, `the assistant says '${claim}'`);
    });
  },
} as const satisfies TrajectoryCheck;

/** The texts that name what the assistant is. */
function namesOf({ messages, rules }: Trajectory): string {
  const system = messages.filter(({ role }) => role === 'system').map(({ text }) => text);
  return [...rules.identity, ...system].join('\n').toLowerCase();
}

const OPENING_QUOTE = /["“«„‘'][^"”»“‘’'\n.]{0,20}$/;

function claimIn(text: string, names: string): string | undefined {
  for (const pattern of PATTERNS) {
    for (const { 0: claim, index, groups } of text.matchAll(pattern)) {
      const isQuoted = OPENING_QUOTE.test(text.slice(Math.max(0, index - 40), index));
      const name = groups?.['name']?.toLowerCase() ?? '';
      if (!isQuoted && !names.includes(name)) return claim;
    }
  }
  return undefined;
}
