/** A browser as far as signing in goes: it keeps cookies and says which page a request comes from. */
export class Browser {
  private readonly cookies = new Map<string, string>();

  constructor(
    private readonly url: string,
    /** Sent with every request; a page of the gateway unless a test says otherwise. */
    readonly headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' },
  ) {}

  /** Another browser that has got hold of the same cookies. */
  copy(headers: Record<string, string>): Browser {
    const thief = new Browser(this.url, headers);
    for (const [name, value] of this.cookies) thief.cookies.set(name, value);
    return thief;
  }

  /** Keeps a cookie that another way than an answer gave. */
  keep(name: string, value: string): this {
    this.cookies.set(name, value);
    return this;
  }

  /** The value of the only cookie. */
  get token(): string {
    return [...this.cookies.values()][0] ?? '';
  }

  /** The only cookie, with its name. */
  get cookie(): { name: string; value: string } {
    const [name = '', value = ''] = [...this.cookies][0] ?? [];
    return { name, value };
  }

  async send(
    method: string,
    address: string,
    content?: unknown,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; headers: Headers; body: Record<string, unknown> & { items?: unknown } }> {
    const isForm = content instanceof URLSearchParams;
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(new URL(address, this.url), {
      method,
      redirect: 'manual',
      headers: {
        ...this.headers,
        ...(cookie ? { cookie } : {}),
        ...(content === undefined || isForm ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(content === undefined ? {} : { body: isForm ? content : JSON.stringify(content) }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (/max-age=0/i.test(line)) this.cookies.delete(name!);
      else this.cookies.set(name!, value!);
    }
    const text = await answer.text();
    const body = /json/.test(answer.headers.get('content-type') ?? '') ? JSON.parse(text) : { text };
    return { status: answer.status, headers: answer.headers, body };
  }

  get(address: string) {
    return this.send('GET', address);
  }

  post(address: string, json: unknown = {}) {
    return this.send('POST', address, json);
  }

  /** As a form of a page does. */
  submit(address: string, form: URLSearchParams) {
    return this.send('POST', address, form);
  }

  login(name: string, password: string, code?: string) {
    return this.post('/v1/login', { name, password, ...(code === undefined ? {} : { code }) });
  }
}
