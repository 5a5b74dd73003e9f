/** A sample of the API reference. */
export interface PageSample {
  readonly id: string;
  readonly language: string;
  readonly code: string;
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' };

const toText = (html: string): string =>
  html.replace(/<[^>]+>/g, '').replace(/&(lt|gt|quot|amp);/g, (_, name: string) => entities[name] ?? '');

/** The samples of all operations, as a reader of the page would copy them. */
export const samplesIn = (html: string): readonly PageSample[] =>
  html
    .split('<article class="operation" id="')
    .slice(1)
    .flatMap((part) =>
      [...part.matchAll(/<pre tabindex="0" class="(curl|typescript|python|go)"><code>(.*?)<\/code>/gs)].map(
        ([, language = '', code = '']) => ({
          id: part.slice(0, part.indexOf('"')),
          language,
          code: toText(code),
        }),
      ),
    );
