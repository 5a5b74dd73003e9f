// Where a process begins. In JavaScript, for the sake of the first file alone: Node would load its compiler for a file
// in TypeScript (17 MB, 50 ms) before anything could tell it that what it compiles to is kept from the last start.
import { enableCompileCache } from 'node:module';

enableCompileCache();
await import('./main.ts');
