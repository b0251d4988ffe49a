// What pages do beyond links and forms: topics are filtered by a word, and words of one topic are shown alone.
const filter = document.querySelector("#filter");
if (filter) {
  const topics = [...document.querySelectorAll(".topic")];
  const shown = document.querySelector("#shown");
  filter.closest(".filter").hidden = false;
  filter.addEventListener("input", () => {
    const wanted = filter.value.trim().toLowerCase();
    let count = 0;
    for (const topic of topics) {
      topic.hidden = !topic.dataset.words.includes(wanted);
      if (!topic.hidden) count += 1;
    }
    shown.textContent = wanted ? `${count} of ${topics.length}` : "";
  });
}

const buttons = [...document.querySelectorAll("button.show")];
const text = document.querySelector(".text");
for (const button of buttons) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const on = button.getAttribute("aria-pressed") !== "true";
    for (const other of buttons) other.setAttribute("aria-pressed", String(on && other === button));
    text.classList.toggle("alone", on);
    for (const word of text.querySelectorAll(".w")) {
      word.classList.toggle("chosen", on && word.classList.contains(button.dataset.colour));
    }
  });
}

const result = document.querySelector("#result");
if (result) document.querySelector("#topics")?.scrollIntoView({ block: "nearest" });
