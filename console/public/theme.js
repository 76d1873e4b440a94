/* Sets the theme before the first paint. A plain file: the policy of the pages allows no script inside a page. */
(() => {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const contrast = matchMedia('(prefers-contrast: more)');
  const apply = () => {
    const chosen = localStorage.getItem('fleetgate.theme') ?? 'system';
    const theme = chosen === 'system' ? (contrast.matches ? 'contrast' : dark.matches ? 'dark' : 'light') : chosen;
    document.documentElement.dataset.theme = theme;
  };
  dark.addEventListener('change', apply);
  contrast.addEventListener('change', apply);
  addEventListener('fleetgate:theme', apply);
  apply();
})();
