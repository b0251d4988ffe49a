// Filter boxes: show only the topics that contain every word typed. Without this script all topics are shown.
for (const box of document.querySelectorAll(".filter")) {
  const plain = (text) => text.normalize("NFC").toLowerCase();
  const topics = [...box.parentElement.querySelectorAll(".topic")];
  const texts = topics.map((topic) => plain(topic.textContent));
  const input = box.querySelector("input");
  const found = box.querySelector("output");
  input.addEventListener("input", () => {
    const wanted = plain(input.value).split(/\s+/).filter(Boolean);
    let number = 0;
    topics.forEach((topic, index) => {
      topic.hidden = !wanted.every((word) => texts[index].includes(word));
      number += !topic.hidden;
    });
    found.textContent = wanted.length ? `${number} of ${topics.length}` : "";
  });
  box.hidden = false;
}
