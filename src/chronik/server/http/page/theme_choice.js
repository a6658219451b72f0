// The button that switches between light, dark and the system's theme.

import { el, setAttribute, setText } from "./dom.js";

const CHOICES = ["auto", "light", "dark"];
const KEY = "chronik.theme";

export class ThemeChoice {
  constructor(button) {
    this.button = button;
    this.word = el("span");
    button.replaceChildren(el("span", { class: "long", text: "Theme: " }), this.word);
    button.addEventListener("click", () => this.choose(CHOICES[(CHOICES.indexOf(this.chosen) + 1) % CHOICES.length]));
    this.show();
  }

  get chosen() {
    return document.documentElement.dataset.theme ?? "auto";
  }

  choose(theme) {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // Without local storage the choice lasts as long as the page.
    }
    this.show();
  }

  show() {
    setText(this.word, this.chosen);
    setAttribute(this.button, "aria-label", `Theme: ${this.chosen}`);
  }
}
