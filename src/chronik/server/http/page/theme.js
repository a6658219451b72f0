// The colours that were chosen, before anything is painted: a page that is dark at second sight hurts.
(() => {
  try {
    const chosen = localStorage.getItem("chronik.theme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  } catch {
    // A browser that keeps nothing follows the system's colours.
  }
})();
