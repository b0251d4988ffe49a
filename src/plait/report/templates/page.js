// Filter boxes: show only the topics or documents that contain every word typed. Without this script all are shown.
const plain = (text) => text.normalize("NFC").toLowerCase();
const FIRST = { topic: 40, document: 20 }; // shown at first, if there are more

for (const box of document.querySelectorAll(".filter")) {
  const entries = [...box.parentElement.querySelectorAll(":scope > .topic, :scope > .document")];
  const searched = (entry) => [...entry.querySelectorAll("summary, .coloured-text")].map((one) => one.textContent).join(" ");
  const texts = entries.map((entry) => plain(entry.matches(".document") ? searched(entry) : entry.textContent));
  const input = box.querySelector("input");
  const found = box.querySelector("output");
  const kind = entries.length && entries[0].matches(".document") ? "document" : "topic";
  const few = FIRST[kind];
  const more = document.createElement("button");
  let all = entries.length <= few;
  const show = () => {
    const wanted = plain(input.value).split(/\s+/).filter(Boolean);
    let number = 0;
    entries.forEach((entry, index) => {
      const fits = wanted.every((word) => texts[index].includes(word));
      number += fits;
      entry.hidden = !fits || (!all && !wanted.length && index >= few);
    });
    found.textContent = wanted.length ? `${number} of ${entries.length}` : "";
    more.hidden = all || wanted.length > 0;
  };
  input.addEventListener("input", show);
  if (!all) {
    more.className = "more";
    more.type = "button";
    more.textContent = `Show all ${entries.length} ${kind}s`;
    more.addEventListener("click", () => { all = true; show(); });
    entries.at(-1).after(more);
    show();
  }
  box.hidden = false;
}

// A link to a topic or document shows it: it may be hidden by a filter, and the page of a document is closed.
function openTarget() {
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const entry = target && target.closest("details.document, .topic");
  if (!entry) return;
  if (entry.matches("details")) entry.open = true;
  else if (!entry.hidden) return;
  entry.hidden = false;
  target.scrollIntoView();
}
addEventListener("hashchange", openTarget);
openTarget();

// The panel beside the map: words of the chosen topic, ordered between distinctive (λ = 0) and frequent (λ = 1).
// Relevance is λ log φ + (1 − λ) log(φ / p), with φ the probability in the topic and p that in all topics.
const SHOWN_WORDS = 20;

for (const panel of document.querySelectorAll(".panel")) {
  const section = panel.closest(".topics");
  const tokens = Number(section.dataset.tokens);
  const maps = section.querySelectorAll(".map .plot");
  const cards = new Map([...section.querySelectorAll(".topic")].map((card) => [card.dataset.topic, card]));
  const select = panel.querySelector("select");
  const slider = panel.querySelector("input");
  const list = panel.querySelector(".bars");
  const read = new Map();
  const wordsOf = (topic) => {
    if (!read.has(topic)) read.set(topic, JSON.parse(cards.get(topic).dataset.words));
    return read.get(topic);
  };
  for (const [topic, card] of cards) select.add(new Option(`${topic} ${card.dataset.name}`, topic));

  const light = (word) => {
    for (const map of maps) {
      map.classList.toggle("dimmed", word !== null);
      for (const link of map.querySelectorAll("a")) {
        const topic = link.dataset.key.slice(5);
        const has = word !== null && cards.has(topic) && wordsOf(topic).some((entry) => entry[0] === word);
        link.classList.toggle("lit", has);
      }
    }
  };
  const draw = () => {
    const topic = select.value;
    const card = cards.get(topic);
    const weight = Number(slider.value);
    const size = tokens * Number(card.dataset.share);
    const ranked = wordsOf(topic)
      .map(([word, inside, overall]) => ({
        word, inside: inside * size, overall: overall * tokens, score: Math.log(inside) - (1 - weight) * Math.log(overall),
      }))
      .sort((one, other) => other.score - one.score)
      .slice(0, SHOWN_WORDS);
    const largest = Math.max(...ranked.map((one) => Math.max(one.overall, one.inside)));
    list.replaceChildren(...ranked.map((one) => {
      const item = document.createElement("li");
      const word = document.createElement("span");
      word.className = "word";
      word.textContent = one.word;
      const track = document.createElement("span");
      track.className = "track";
      for (const [kind, value] of [["cm", one.overall], ["c0", one.inside]]) {
        const bar = document.createElement("span");
        bar.className = kind;
        bar.style.width = `${100 * Math.min(1, value / largest)}%`;
        track.append(bar);
      }
      item.title = `${one.word}: about ${Math.round(one.inside)} of ${Math.round(one.overall)} tokens are of this topic`;
      item.append(word, track);
      item.addEventListener("pointerenter", () => light(one.word));
      item.addEventListener("pointerleave", () => light(null));
      return item;
    }));
    panel.querySelector("output").textContent = weight.toFixed(2);
    const link = panel.querySelector(".to-topic");
    link.href = `#${card.id}`;
    for (const map of maps) {
      for (const circle of map.querySelectorAll("a")) {
        circle.classList.toggle("chosen", circle.dataset.key === `topic${topic}`);
      }
    }
  };
  for (const map of maps) {
    map.addEventListener("click", (event) => {
      const link = event.target.closest("a");
      const topic = link && link.dataset.key.slice(5);
      if (!link || !cards.has(topic)) return;
      event.preventDefault();
      select.value = topic;
      draw();
    });
  }
  select.addEventListener("change", draw);
  slider.addEventListener("input", draw);
  section.querySelector(".without-script").hidden = true;
  panel.hidden = false;
  draw();
}

// The drawing of a figure for narrow screens has the texts of its marks in the other drawing, in the same order. They
// are filled in when the pointer or the keyboard first reaches the figure.
const filled = new WeakSet();
function fillTexts(event) {
  const chart = event.target.closest?.(".chart");
  if (!chart || filled.has(chart)) return;
  filled.add(chart);
  const texts = chart.querySelectorAll(".on-wide title");
  chart.querySelectorAll(".on-narrow title").forEach((title, at) => { title.textContent = texts[at].textContent; });
}
for (const kind of ["pointerover", "focusin"]) document.addEventListener(kind, fillTexts, { capture: true });
