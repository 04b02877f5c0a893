// Starts the editor, puts our name where the product's stands, and leaves until later what is heavy.
(() => {
  const { codeEditor } = document.currentScript.dataset;

  // Diagrams need a library of several megabytes: it is asked for once there is a diagram.
  const { mermaid } = RED.editor;
  const renderDiagrams = mermaid.render;
  mermaid.render = (...given) => {
    const root = given.find((one) => one instanceof jQuery) ?? $(document);
    const selector = typeof given[0] === 'string' ? given[0] : '.mermaid';
    return root.find(selector).length > 0 ? renderDiagrams(...given) : Promise.resolve([]);
  };

  // The code editor is of no use before a dialog can be opened.
  const loadCodeEditor = () => {
    if (codeEditor === undefined || document.getElementById('monaco-bootstrap')) return;
    const script = document.createElement('script');
    script.id = 'monaco-bootstrap';
    script.src = codeEditor;
    document.body.append(script);
  };

  const ourNameAndVersion = () => `Sluice ${RED.settings.sluiceVersion ?? ''}`.trim();
  const putOurName = () => {
    const label = document.querySelector('#menu-item-node-red-version .red-ui-menu-label');
    if (label) label.textContent = ourNameAndVersion();
  };

  // What the help says of the product: of ours; the tours of the editor only where they are wanted.
  const ourHelp = (groups) => {
    const product = groups.find(({ children }) => children?.[0]?.id === 'changelog');
    if (!product) return;
    const [about, tours] = product.children;
    const toursWanted = RED.settings.theme('tours', false) !== false;
    product.label = 'Sluice';
    product.children = toursWanted ? [about, tours] : [about];
    about.label = ourNameAndVersion();
    if (toursWanted) return;
    about.content = (done) =>
      $.get('red/about', (text) => done(RED.utils.renderMarkdown(RED.utils.sanitize(text))));
  };
  const { treeList } = $.fn;
  $.fn.treeList = function (...given) {
    if (given[0] === 'data' && Array.isArray(given[1])) ourHelp(given[1]);
    return treeList.apply(this, given);
  };

  // The last step of loading.
  const { loader } = RED;
  const endLoading = loader.end;
  loader.end = () => {
    endLoading();
    putOurName();
    // Not every browser says when it is idle.
    if (window.requestIdleCallback) requestIdleCallback(loadCodeEditor, { timeout: 2000 });
    else setTimeout(loadCodeEditor, 200);
  };

  $(() => {
    const { hostname } = location;
    if (hostname !== 'localhost' && hostname !== '127.0.0.1') document.title += ` : ${hostname}`;
    RED.init({ apiRootUrl: '' });
  });
})();
