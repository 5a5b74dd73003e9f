// Express 4 under its name here: what an application uses of it has the same types.
declare module 'express-4' {
  export { default } from 'express';
}
