import type { FoundOperation } from '../description/operations.ts';
import { languages } from '../samples/languages.ts';
import { sampleOf } from '../samples/sample-request.ts';
import { Code } from './code.tsx';
import { origin, usualKeyHeader } from './placeholders.ts';

/** A request in each language. The page shows one of them, which the reader chooses once for all samples. */
export const Sample = ({ found, tries }: { readonly found: FoundOperation; readonly tries: boolean }) => {
  const request = sampleOf(found, origin, usualKeyHeader);
  return (
    <div class="sample">
      <div class="sample-bar">
        <select class="language" aria-label="Language of the samples" autocomplete="off">
          {languages.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
        <button type="button" class="copy">
          Copy
        </button>
        {tries && (
          <button type="button" class="try">
            Try it
          </button>
        )}
      </div>
      {languages.map(({ id, write }) => (
        <Code key={id} text={write(request)} language={id} />
      ))}
    </div>
  );
};
