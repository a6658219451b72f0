// Apply the chosen theme before anything is painted, so that a dark page does not flash white.
(() => {
  try {
    const chosen = localStorage.getItem("chronik.theme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  } catch {
    // Without local storage the page follows the system's theme.
  }
})();
