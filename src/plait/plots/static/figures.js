// Texts of marks beside the pointer or the focused mark, in place of the browser's slow tooltips; arrow keys move
// between the linked marks of a figure, of which only one is in the tab order.
const plotTip = document.createElement("div");
plotTip.className = "plot-tip";
plotTip.hidden = true;
plotTip.setAttribute("role", "tooltip");
document.body.append(plotTip);

const plotTexts = new WeakMap();

function plotText(mark) {
  if (!plotTexts.has(mark)) {
    const title = mark.querySelector(":scope > title");
    plotTexts.set(mark, title ? title.textContent : "");
    if (title) {
      mark.closest("a")?.setAttribute("aria-label", title.textContent);
      title.remove(); // else the browser would show it, too
    }
  }
  return plotTexts.get(mark);
}

function markAt(target) {
  const mark = target.closest?.("circle, rect, path, polygon, text");
  return mark && mark.closest(".plot") ? mark : null;
}

function showPlotTip(mark, x, y) {
  const text = plotText(mark);
  plotTip.hidden = !text;
  if (!text) return;
  plotTip.textContent = text;
  const box = plotTip.getBoundingClientRect();
  const left = x + 14 + box.width > innerWidth ? Math.max(4, x - box.width - 10) : x + 14;
  const top = y + 14 + box.height > innerHeight ? Math.max(4, y - box.height - 10) : y + 14;
  plotTip.style.left = `${left}px`;
  plotTip.style.top = `${top}px`;
}

document.addEventListener("pointermove", (event) => {
  const mark = markAt(event.target);
  if (mark) showPlotTip(mark, event.clientX, event.clientY);
  else plotTip.hidden = true;
});
document.addEventListener("scroll", () => { plotTip.hidden = true; }, { passive: true });
document.addEventListener("keydown", (event) => { if (event.key === "Escape") plotTip.hidden = true; });
document.addEventListener("focusin", (event) => {
  const link = event.target.closest?.(".plot a");
  const mark = link && link.querySelector("circle, rect, path");
  if (!mark || !link.matches(":focus-visible")) { plotTip.hidden = true; return; }
  const box = mark.getBoundingClientRect();
  showPlotTip(mark, box.right, box.bottom);
});

for (const plot of document.querySelectorAll(".plot")) {
  const links = [...plot.querySelectorAll("a")];
  links.forEach((link, at) => link.setAttribute("tabindex", at ? "-1" : "0"));
  plot.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const at = links.indexOf(document.activeElement);
    if (!step || at < 0) return;
    event.preventDefault();
    const next = links[(at + step + links.length) % links.length];
    links[at].setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  });
}
