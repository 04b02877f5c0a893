// Puts our own name and version where the editor shows the product's.
(() => {
  const rename = () => {
    const item = document.getElementById('menu-item-node-red-version');
    const label = item && item.querySelector('.red-ui-menu-label, span');
    const version = RED.settings.sluiceVersion;
    if (!label || !version) return false;
    label.textContent = `Sluice ${version}`;
    return true;
  };
  const watch = new MutationObserver(() => {
    if (rename()) watch.disconnect();
  });
  watch.observe(document.body, { childList: true, subtree: true });
})();
