/** The part of nunjucks' parser that `TokenCursor` uses. */
declare module 'nunjucks/src/parser.js' {
  interface TokenSource<Token> {
    nextToken(): Token;
  }

  class Parser<Token extends { readonly type: string; readonly value: string }> {
    constructor(tokens: TokenSource<Token>);
    nextToken(): Token;
    peekToken(): Token;
    fail(reason: string): never;
    skip(type: string): boolean;
    skipValue(type: string, value: string): boolean;
    skipSymbol(name: string): boolean;
  }

  const parser: { readonly Parser: typeof Parser };
  export default parser;
}
