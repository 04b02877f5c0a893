import type { ThemeContext } from './theme.ts';

/** Where the editor's own start is served; see `assets/editor/start.js`. */
const startScript = 'theme/brand/start.js';

/**
 * The editor's page.
 * @remarks All addresses are relative, as it may be served anywhere. Monaco, the largest part by far, is left to the
 * start script, which runs it when the editor is drawn.
 * @param generation stands behind the URL of every file that may be kept, so that a new version is loaded anew.
 */
export function editorPage({ page, asset }: ThemeContext, generation: string): string {
  const kept = (url: string): string => `${url}?v=${generation}`;
  const monaco = asset.vendorMonaco !== '';
  const styles = [
    kept('vendor/jquery/css/base/jquery-ui.min.css'),
    kept('vendor/font-awesome/css/font-awesome.min.css'),
    kept('red/style.min.css'),
    ...(page.css ?? []),
    ...(monaco ? [kept('vendor/monaco/style.css')] : []),
  ];
  // Fetched meanwhile, run when the rest is drawn. Under this very address the bootstrap script asks for it.
  const soon = monaco
    ? '<link rel="preload" as="script" fetchpriority="low" href="vendor/monaco/dist/editor.js">\n'
    : '';
  const later = monaco ? ` data-code-editor="${escaped(kept(asset.vendorMonaco))}"` : '';
  const scripts = [
    script(kept('vendor/vendor.js')),
    ...(asset.vendorAce === '' ? [] : [script(kept(asset.vendorAce), ' id="ace-bootstrap"')]),
    script(kept(asset.red)),
    script(kept(startScript), later),
    ...(page.scripts ?? []).map((url) => script(url)),
  ];
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="mobile-web-app-capable" content="yes">
<title>${escaped(page.title)}</title>
<link rel="icon" href="${escaped(page.favicon)}">
<link rel="mask-icon" href="${escaped(page.tabicon.icon)}" color="${escaped(page.tabicon.colour)}">
${styles.map((url) => `<link rel="stylesheet" href="${escaped(url)}">`).join('\n')}
${soon}</head>
<body spellcheck="false">
<div id="red-ui-editor"></div>
${scripts.join('\n')}
</body>
</html>
`;
}

function script(url: string, attributes = ''): string {
  return `<script${attributes} src="${escaped(url)}"></script>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
}
