/**
 * The styles of the page. They are inline because the browser shows the page at the host of the application, which
 * does not serve this service's style sheets. The variables for the accent colour have the same names as in
 * tokens.css.
 */
export const inlineStyle = `
:root {
  color-scheme: light dark;
  --canvas: #f4f4f4; --surface: #fff; --ink: #1c1e1d; --ink-soft: #5d605f; --line-strong: #848685;
  --fill: #17694c; --fill-strong: #0f5039; --on-fill: #fff; --focus: #17694c;
}
@media (prefers-color-scheme: dark) {
  :root {
    --canvas: #101111; --surface: #1c1e1d; --ink: #e9eaea; --ink-soft: #a7aaa9; --line-strong: #747776;
    --fill: #63cfa2; --fill-strong: #86e0b9; --on-fill: #04231a; --focus: #63cfa2;
  }
  .logo.is-for-light { padding: .375rem .625rem; border-radius: .625rem; background: #dcdddd; color-scheme: light }
}
* { box-sizing: border-box }
body {
  margin: 0; min-height: 100dvh; display: grid; place-content: center; justify-items: center; padding: 1.25rem;
  grid-template-columns: minmax(0, 26rem); gap: 1.25rem;
  background: var(--canvas); color: var(--ink); font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
header { display: flex; align-items: center; gap: .625rem; width: 100%; font-weight: 600; overflow-wrap: anywhere }
header > span { min-width: 0 }
.mark { flex: none; width: 1.75rem; height: 1.75rem }
.mark-door { fill: var(--fill) }
.mark-keyhole { fill: var(--canvas) }
.logo { flex: none; width: auto; max-width: 12rem; height: 2.75rem; padding-block: .375rem; object-fit: contain }
main { width: 100%; padding: 2rem 1.5rem; border-radius: 1.125rem; background: var(--surface); overflow-wrap: anywhere }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.25; text-wrap: balance }
p { margin: 0 0 1.5rem; color: var(--ink-soft); text-wrap: pretty }
a {
  display: block; margin-top: .75rem; padding: .625rem 1rem; border: 1px solid var(--line-strong); border-radius: .625rem;
  color: var(--ink); font-weight: 550; text-align: center; text-decoration: none; text-wrap: balance;
}
a:first-of-type { border-color: transparent; background: var(--fill); color: var(--on-fill) }
a:first-of-type:hover { background: var(--fill-strong) }
a:hover { text-decoration: underline }
a:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px }
`;
