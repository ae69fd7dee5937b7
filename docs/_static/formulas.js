for (const one of document.querySelectorAll(".formula"))
  katex.render(one.textContent, one, { displayMode: one.tagName === "DIV", throwOnError: false });
