// Declares the part of Next.js that next.ts uses, because Next.js is not installed in this repository.
declare module 'next/headers.js' {
  export function headers(): Promise<Headers>;
}
