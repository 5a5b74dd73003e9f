const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** A pattern for a text in which `…` stands for anything within a line. */
export const toPattern = (template: string): RegExp =>
  new RegExp(`^${template.split('…').map(literally).join('.*?')}$`);
