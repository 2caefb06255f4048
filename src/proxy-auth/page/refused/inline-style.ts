/** The styles of the page, which loads nothing from the host of its address. */
export const inlineStyle = `
:root { color-scheme: light dark; --canvas: #f4f4f4; --surface: #fff; --ink: #1c1e1d; --soft: #5d605f; --line: #848685 }
@media (prefers-color-scheme: dark) {
  :root { --canvas: #101111; --surface: #1c1e1d; --ink: #f0f1f1; --soft: #a5a8a7; --line: #777a79 }
}
* { box-sizing: border-box }
body {
  margin: 0; min-height: 100dvh; display: grid; place-items: center; padding: 1.25rem;
  background: var(--canvas); color: var(--ink); font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
main { width: 100%; max-width: 26rem; padding: 2rem 1.5rem; border-radius: 1.125rem; background: var(--surface); overflow-wrap: anywhere }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.25 }
p { margin: 0 0 1.5rem; color: var(--soft) }
a {
  display: block; margin-top: .75rem; padding: .625rem 1rem; border: 1px solid var(--line); border-radius: .625rem;
  color: var(--ink); font-weight: 600; text-align: center; text-decoration: none;
}
a:first-of-type { border-color: var(--ink); background: var(--ink); color: var(--surface) }
a:hover { text-decoration: underline }
a:focus-visible { outline: 3px solid var(--ink); outline-offset: 3px }
`;
