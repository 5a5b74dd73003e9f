/** One line of metrics: the value of a series. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Metrics as they are served to Prometheus, read. */
export class Scrape {
  readonly text: string;
  readonly samples: readonly Sample[];

  constructor(text: string) {
    this.text = text;
    this.samples = [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(
      ([, name = '', labels = '', value]) => ({
        name,
        labels: Object.fromEntries(
          [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, text]) => [label, text]),
        ),
        value: Number(value),
      }),
    );
  }

  /** The sum of all series of a metric that have these labels. */
  sum(name: string, labels: Readonly<Record<string, string>> = {}): number {
    return this.samples
      .filter((sample) => sample.name === name)
      .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
      .reduce((sum, { value }) => sum + value, 0);
  }

  /** The labels that each metric has. */
  labels(): Map<string, Set<string>> {
    const labels = new Map<string, Set<string>>();
    for (const { name, labels: own } of this.samples)
      labels.set(name, new Set([...(labels.get(name) ?? []), ...Object.keys(own)]));
    return labels;
  }
}

/** Reads metrics over HTTP. */
export const scrape = async (port: number): Promise<Scrape> =>
  new Scrape(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
