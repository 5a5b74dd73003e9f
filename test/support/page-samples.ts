/** A sample of the API reference. */
export interface PageSample {
  readonly id: string;
  readonly language: string;
  readonly code: string;
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' };

const toText = (html: string): string =>
  html.replace(/<[^>]+>/g, '').replace(/&(lt|gt|quot|amp);/g, (_, name: string) => entities[name] ?? '');

const codesIn = (html: string): readonly Omit<PageSample, 'id'>[] =>
  [...html.matchAll(/<pre tabindex="0" class="(curl|typescript|python|go)"><code>(.*?)<\/code>/gs)].map(
    ([, language = '', code = '']) => ({ language, code: toText(code) }),
  );

/** The samples of all operations, as a reader of the page would copy them. */
export const samplesIn = (html: string): readonly PageSample[] =>
  html
    .split('<article class="operation" id="')
    .slice(1)
    .flatMap((part) => codesIn(part).map((sample) => ({ id: part.slice(0, part.indexOf('"')), ...sample })));

/** The curl samples of the first calls, in their order. */
export const firstCallsIn = (html: string): readonly string[] =>
  codesIn(html.slice(html.indexOf('<ol class="first-calls">'), html.indexOf('</ol>')))
    .filter(({ language }) => language === 'curl')
    .map(({ code }) => code);
