/** How tools are served and under which name. */
export interface ServeOptions {
  /** The name of the server, which clients show. */
  readonly name: string;
  /** The version of the server, which clients show. */
  readonly version: string;
  /** Over stdin and stdout, or over HTTP: `streamable_http`, or `sse` for older clients. */
  readonly transport: 'stdio' | 'sse' | 'streamable_http';
  /** Describes the server to the client's model. */
  readonly instructions?: string | undefined;
  /** The function behind `context.readResource` of the tools. */
  readonly readResource?: ((uri: string) => unknown) | undefined;
  /** Over HTTP: the port; any free one unless given. */
  readonly port?: number | undefined;
  /** Over HTTP: the address to listen at; 127.0.0.1, which only this machine reaches, unless given. */
  readonly host?: string | undefined;
  /** Over HTTP: further names that requests may call this machine by. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Over HTTP: the bearer token that clients must send; none unless given. */
  readonly token?: string | undefined;
  /** Over streamable HTTP: how long a session may be idle before it is closed; 30 minutes unless given. */
  readonly idleMs?: number | undefined;
}

/** A running tool server. Disposing it closes every session, which aborts the calls in progress. */
export interface ToolServer extends AsyncDisposable {
  /** The address for clients; undefined over stdio. */
  readonly address: string | undefined;
  /** Resolves once it is disposed or, over stdio, the client has gone. */
  readonly ended: Promise<void>;
}
