import { type ReactNode, render } from 'preact/compat';
import { createElementHost } from './element-host.ts';
import { Fault, Keys, Waiting } from './keys.tsx';
import { readLanguage, readSettings } from './service.ts';
import { laterStyles, styles } from './styles.ts';

/** Gives an access token of the person who uses the page; null or undefined if nobody is signed in. */
export type GetToken = () => Promise<string | null | undefined>;

/**
 * The API keys of a person, as an element: `<keyward-keys>`.
 *
 * The page sets the property `getToken`. The attribute `account` names the account whose keys these are, if it is not
 * that of the token, or `organization` an organisation that the token names; and `locale` the language, if it is not that
 * of the page. The events `key-created` and `key-deactivated` tell of changes, and `error` of failures.
 */
class KeywardKeys extends HTMLElement {
  static readonly observedAttributes = ['account', 'locale', 'organization'];

  #getToken: GetToken | undefined;
  /** Ends what is shown; undefined if nothing is. */
  #stop: (() => void) | undefined;

  constructor() {
    super();
    this.attachShadow({ mode: 'open' }).adoptedStyleSheets = [styles, laterStyles];
    // The page may have set it before this file had loaded.
    const { getToken } = this;
    if (!Object.hasOwn(this, 'getToken')) return;
    Reflect.deleteProperty(this, 'getToken');
    this.getToken = getToken;
  }

  /** Called for each request that needs a token. The token is used for this request only, and kept nowhere. */
  get getToken(): GetToken | undefined {
    return this.#getToken;
  }

  set getToken(getToken: GetToken | undefined) {
    const isFirst = this.#getToken === undefined;
    this.#getToken = typeof getToken === 'function' ? getToken : undefined;
    // A page that is drawn again may give another function for the same person.
    if (isFirst || this.#getToken === undefined) this.#start();
  }

  connectedCallback(): void {
    if (!this.#stop) this.#start();
  }

  disconnectedCallback(): void {
    // A page that moves the element takes it out first: a secret that is shown once must not be lost by that.
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.#stop?.();
      this.#stop = undefined;
    });
  }

  /** An element that is moved as one goes on. */
  connectedMoveCallback(): void {}

  attributeChangedCallback(_name: string, before: string | null, now: string | null): void {
    if (before !== now) this.#start();
  }

  /** The language of the element: its own, or that of the page around it. */
  get #localeTag(): string {
    return this.getAttribute('locale') ?? this.closest<HTMLElement>('[lang]')?.lang ?? '';
  }

  /** Begins anew: nothing is left of what was shown before. */
  #start(): void {
    this.#stop?.();
    if (this.isConnected) this.#stop = this.#run();
  }

  #run(): () => void {
    const root = this.shadowRoot as ShadowRoot;
    const ended = new AbortController();
    const show = (view: ReactNode) => render(view, root);
    ended.signal.addEventListener('abort', () => show(null));
    show(<Waiting />);
    const begin = async () => {
      const [settings, language] = await Promise.all([readSettings(), readLanguage(this.#localeTag)]);
      if (ended.signal.aborted) return;
      const { host, follow } = createElementHost({
        root,
        settings,
        language,
        account: this.getAttribute('account') ?? undefined,
        organization: this.getAttribute('organization') ?? undefined,
        getToken: async () => this.#getToken?.(),
        ended: ended.signal,
        onOtherPerson: () => {
          if (!ended.signal.aborted) this.#start();
        },
        tell: (name, detail) => {
          if (!ended.signal.aborted) this.dispatchEvent(new CustomEvent(name, { detail }));
        },
      });
      // The address of the page is the page's: links lead to places in the element.
      const go = (event: Event) => {
        const link = event.target instanceof Element && event.target.closest('a[href^="#"]');
        if (!link) return;
        event.preventDefault();
        if (event.type === 'click') follow(link.getAttribute('href') ?? '');
      };
      for (const name of ['click', 'auxclick']) root.addEventListener(name, go, { signal: ended.signal });
      ended.signal.addEventListener('abort', () => host.queryClient.clear());
      show(<Keys host={host} />);
    };
    const fail = ({ message }: Error) => {
      if (ended.signal.aborted) return;
      this.dispatchEvent(new CustomEvent('error', { detail: { kind: 'network', message, requestId: null } }));
      show(<Fault message={message} onRetry={() => this.#start()} />);
    };
    if (this.#getToken) begin().catch(fail);
    return () => ended.abort();
  }
}

// Two copies of this file on one page are one element.
if (!customElements.get('keyward-keys')) customElements.define('keyward-keys', KeywardKeys);
