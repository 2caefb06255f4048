// What is used of Next.js, which is not installed here.
declare module 'next/headers.js' {
  export function headers(): Promise<Headers>;
}
