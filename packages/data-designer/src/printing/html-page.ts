import { createHash } from 'node:crypto';
import { escapeHtml } from './escape-html.ts';

/** What a page is made of; all but the title is HTML, CSS or JavaScript as it stands. */
interface PageParts {
  /** Of any origin. */
  readonly title: string;
  readonly style: string;
  readonly body: string;
  /** The one script that may run; none unless given. */
  readonly script?: string;
  /** As the reader's system says unless given. */
  readonly theme?: 'dark' | 'light' | undefined;
}

/** A page that needs nothing else: its policy allows its own style and script, pictures that stand in it, no request. */
export function htmlPage({ title, style, body, script, theme }: PageParts): string {
  const hash = script === undefined ? '' : createHash('sha256').update(script).digest('base64');
  const policy = [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    'img-src data:',
    ...(hash === '' ? [] : [`script-src 'sha256-${hash}'`]),
  ];
  return `<!doctype html>
<html lang="en"${theme === undefined ? '' : ` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy.join('; ')}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
${body}${script === undefined ? '' : `\n<script>${script}</script>`}
</body>
</html>
`;
}
