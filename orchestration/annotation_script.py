"""What the annotation page looks like and how it takes keys: CSS, and the JavaScript that runs when it loads."""

CSS = """
.gradio-container { padding: 0 !important; max-width: none !important; }
.gradio-container .main, .gradio-container .wrap { padding: 0 !important; width: 100%; }
.gradio-container main { padding: 10px 18px 6px !important; width: 100%; max-width: 1600px !important;
  margin: 0 auto !important; --cot-quiet: color-mix(in srgb, var(--body-text-color) 66%, transparent); }
footer { display: none !important; }
#cot-work { gap: 8px; }
#cot-work .html-container { padding: 0 !important; }
#cot-columns { gap: 18px; align-items: stretch; height: calc(100vh - 88px); min-height: 480px; flex-wrap: nowrap; }
#cot-left, #cot-right { min-width: 0 !important; height: 100%; }
#cot-left { overflow-y: auto; }
#cot-right { gap: 8px; display: flex; flex-direction: column; flex-wrap: nowrap; overflow-y: auto; }
#cot-name { max-width: 440px; margin: 16vh auto 0; }
#cot-welcome { font-size: 14px; color: var(--cot-quiet); }
#cot-welcome b { display: block; font-size: 20px; color: var(--body-text-color); }
.cot-top { display: flex; gap: 20px; align-items: baseline; font-size: 13px; color: var(--cot-quiet); }
.cot-title b { font-size: 17px; color: var(--body-text-color); margin-right: 6px; }
.cot-title { flex: 1; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.cot-facts { font-size: 13px; line-height: 20px; color: var(--cot-quiet); overflow: hidden; text-overflow: ellipsis;
  white-space: nowrap; }
.cot-facts b { color: var(--body-text-color); }
.cot-who { display: flex; gap: 10px; align-items: baseline; }
.cot-who span { font-weight: 600; color: var(--body-text-color); max-width: 160px; overflow: hidden;
  text-overflow: ellipsis; white-space: nowrap; }
.cot-who button { color: var(--link-text-color); background: none; border: 0; cursor: pointer; padding: 0;
  white-space: nowrap; }
.cot-bar { height: 3px; background: var(--border-color-primary); border-radius: 2px; margin-top: 4px; }
.cot-bar div { height: 100%; background: var(--primary-500); }
kbd { font: 11px/1.5 monospace; border: 1px solid var(--border-color-primary); border-radius: 4px; padding: 1px 5px;
  background: var(--background-fill-secondary); color: var(--cot-quiet); }
.cot-sheet { font-size: 15px; line-height: 1.45; color: var(--body-text-color); padding: 2px 10px 16px 2px; }
.cot-sheet, .cot-sheet span, .cot-question, .cot-context { overflow-wrap: anywhere; }
.cot-belongs { font-size: 12.5px; color: var(--cot-quiet); margin-bottom: 8px; }
.cot-belongs code { font-size: 12px; margin-left: 6px; }
.cot-question { font-size: 18px; font-weight: 600; line-height: 1.35; white-space: pre-wrap; }
.cot-context { margin-top: 8px; padding: 8px 12px; max-height: 22vh; overflow: auto; white-space: pre-wrap;
  background: var(--background-fill-secondary); border-radius: 8px; font-size: 14px; }
.cot-options { list-style: none; margin: 12px 0 0; padding: 0; display: grid; gap: 4px; }
.cot-options li { display: flex; gap: 10px; padding: 4px 10px; border: 1px solid var(--border-color-primary);
  border-radius: 8px; margin: 0; }
.cot-options span, .cot-steps span { white-space: pre-wrap; }
.cot-options .cot-right { border-color: #15803d; background: color-mix(in srgb, #16a34a 12%, transparent); }
.cot-options .cot-right::after { content: "answer"; margin-left: auto; font-size: 12px; color: #15803d;
  white-space: nowrap; }
.cot-answer { margin-top: 8px; font-weight: 600; }
.cot-sheet h3 { font-size: 13px; font-weight: 600; color: var(--cot-quiet); margin: 16px 0 6px; }
.cot-steps { margin: 0; padding: 0; list-style: none; counter-reset: step; display: grid; gap: 4px; }
.cot-steps li { counter-increment: step; display: flex; gap: 10px; padding: 3px 8px; border-radius: 8px; margin: 0; }
.cot-steps li::before { content: counter(step); min-width: 20px; text-align: right; font-weight: 600;
  color: var(--cot-quiet); font-variant-numeric: tabular-nums; }
.cot-steps li.cot-more::before { content: "+"; }
.cot-steps label { display: flex; gap: 10px; flex: 1; cursor: pointer; }
.cot-steps input { margin: 3px 0 0; width: 16px; height: 16px; flex: none; accent-color: var(--primary-600);
  appearance: auto; background: none !important; border: 0; }
.cot-steps li:has(input:checked) { background: color-mix(in srgb, var(--primary-500) 13%, transparent); }
.cot-steps textarea, #cot-note { flex: 1; font: inherit; color: inherit; background: var(--input-background-fill);
  border: 1px solid var(--border-color-primary); border-radius: 6px; padding: 3px 8px; resize: vertical;
  field-sizing: content; max-height: 40vh; }
.cot-steps textarea:focus, #cot-note:focus { outline: 2px solid var(--primary-500); outline-offset: -1px; }
.cot-steps textarea.cot-changed { border-color: var(--primary-500);
  background: color-mix(in srgb, var(--primary-500) 8%, var(--input-background-fill)); }
#cot-note::placeholder, .cot-steps textarea::placeholder { color: var(--cot-quiet); opacity: 0.8; }
.cot-done { padding-top: 12vh; text-align: center; }
.cot-done h2 { font-size: 22px; margin-bottom: 8px; }
#cot-picture { flex: 1 1 0; min-height: 180px; overflow: hidden; display: flex; }
#cot-picture .html-container, #cot-picture .html-container > div { flex: 1; display: flex; min-width: 0;
  min-height: 0; }
.cot-picture { flex: 1; min-width: 0; border: 1px solid var(--border-color-primary); border-radius: 10px; display: flex;
  align-items: center; justify-content: center; overflow: auto; color: var(--cot-quiet); }
.cot-picture figure { margin: 0; width: 100%; height: 100%; display: flex; flex-direction: column; align-items: center;
  justify-content: center; }
.cot-picture img { max-width: 100%; max-height: 100%; min-height: 0; object-fit: contain; background: white; }
.cot-several { flex-wrap: wrap; gap: 8px; align-content: flex-start; padding: 8px; }
.cot-several figure { width: calc(50% - 8px); height: auto; }
.cot-large { display: block; padding: 0; border: 0; cursor: zoom-in; max-width: 100%; background: none; }
.cot-large img, #cot-whole img { background: repeating-conic-gradient(#d4d4d8 0 25%, white 0 50%) 0 0 / 16px 16px; }
.cot-large img { display: block; max-width: 100%; max-height: 46vh; border: 1px solid var(--border-color-primary);
  border-radius: 6px; object-fit: contain; }
.cot-large:focus-visible { outline: 2px solid var(--primary-500); }
.cot-sheet figure { margin: 6px 0; }
.cot-sheet figcaption { font-size: 12px; font-weight: 400; color: var(--cot-quiet); }
.cot-sheet code { font-size: 0.85em; color: var(--cot-quiet); }
.cot-picture .cot-large { max-height: 100%; min-height: 0; display: flex; justify-content: center; }
.cot-picture .cot-large img { max-height: 100%; }
.cot-steps li.cot-shows, .cot-steps li.cot-description { counter-increment: none; }
.cot-steps li.cot-shows::before, .cot-steps li.cot-description::before { content: ""; }
.cot-steps li.cot-description { padding: 0; }
.cot-steps li.cot-description::before { display: none; }
.cot-steps li.cot-description textarea { font-size: 17px; line-height: 1.4; min-height: 6lh; padding: 8px 10px; }
.cot-among .cot-options { grid-template-columns: 1fr 1fr; }
.cot-reply { border-left: 3px solid var(--border-color-primary); padding: 2px 0 2px 14px; white-space: pre-wrap;
  overflow-wrap: anywhere; }
.cot-guide p { margin: 0 0 6px; }
.cot-guide { flex: 1; font-size: 14px; line-height: 1.5; overflow-y: auto; padding: 12px 16px; border-radius: 10px;
  background: var(--background-fill-secondary); color: var(--body-text-color); }
.cot-guide h3 { font-weight: 600; font-size: 15px; margin: 0 0 6px; }
.cot-guide ul { list-style: disc; padding-left: 18px; margin: 10px 0 0; display: grid; gap: 6px; }
#cot-whole { margin: auto; padding: 0; border: 0; max-width: 98vw; max-height: 98vh; background: white;
  cursor: zoom-out; }
#cot-whole::backdrop { background: rgb(0 0 0 / 75%); }
#cot-whole img { display: block; }
.cot-masked { text-align: center; line-height: 1.9; background: repeating-linear-gradient(45deg,
  var(--background-fill-secondary) 0 14px, var(--background-fill-primary) 14px 28px); }
.cot-masked div { background: var(--background-fill-primary); padding: 8px 16px; border-radius: 8px; }
.cot-asked { font-size: 15px; font-weight: 600; display: flex; gap: 8px; align-items: baseline; }
.cot-asked span { font-size: 12px; background: var(--primary-500); color: white; border-radius: 50%; min-width: 20px;
  text-align: center; line-height: 20px; }
.cot-form { display: grid; gap: 8px; font-size: 14px; }
.cot-verdicts { display: flex; flex-wrap: wrap; gap: 6px; }
.cot-verdicts label { flex: 1 1 auto; justify-content: center; display: flex; gap: 8px; align-items: center;
  padding: 7px 10px; cursor: pointer; border: 1px solid var(--border-color-primary); border-radius: 8px;
  white-space: nowrap; }
.cot-verdicts label:has(input:checked) { border-color: var(--primary-500); font-weight: 600;
  background: color-mix(in srgb, var(--primary-500) 14%, transparent); }
.cot-verdicts label:has(input:focus-visible) { outline: 2px solid var(--primary-500); }
.cot-scale { flex-direction: column; gap: 4px; }
.cot-scale label { justify-content: flex-start; padding: 5px 10px; }
.cot-verdicts input { position: absolute; opacity: 0; pointer-events: none; }
.cot-form details { font-size: 13px; color: var(--cot-quiet); }
.cot-form summary { cursor: pointer; }
.cot-form ul, #cot-help ul { padding-left: 18px; margin: 4px 0 0; list-style: disc; }
#cot-buttons { gap: 8px; flex-wrap: nowrap; }
#cot-back { flex: 0 0 110px; min-width: 110px; }
.cot-message { color: #b45309; min-height: 18px; font-size: 13.5px; line-height: 1.3; }
.dark .cot-message { color: #fbbf24; }
#cot-help { margin: auto; max-width: 560px; border: 1px solid var(--border-color-primary); border-radius: 12px;
  padding: 18px 22px; background: var(--background-fill-primary); color: var(--body-text-color); font-size: 14px; }
#cot-help::backdrop { background: rgb(0 0 0 / 40%); }
#cot-help h3 { font-weight: 600; margin: 8px 0 4px; }
#cot-help td { padding: 2px 14px 2px 0; border: 0; }
#cot-help button { margin-top: 12px; padding: 4px 14px; border: 1px solid var(--border-color-primary);
  border-radius: 8px; }
@media (max-width: 900px) {
  #cot-columns { flex-direction: column; height: auto; }
  #cot-picture { flex-basis: 320px; }
  .cot-top { flex-wrap: wrap; }
}
"""

SCRIPT = """
() => {
  if (window.cotline) return;
  const find = selector => document.querySelector(selector);
  const all = selector => [...document.querySelectorAll(selector)];
  const NAME = 'cotline-annotator';
  const cot = window.cotline = { turn: null, since: performance.now(), first: null, busy: 0 };
  const sheet = () => find('#cot-sheet');
  const verdict = () => (find('input[name=cot-verdict]:checked') || { value: null }).value;

  cot.payload = what => {
    const on = sheet();
    if (what === 'show') cot.first = verdict();
    if (what !== 'load') cot.busy = performance.now();
    return JSON.stringify({
      what,
      annotator: on ? on.dataset.annotator : sessionStorage.getItem(NAME),
      sample: on ? on.dataset.sample : '',
      turn: on ? on.dataset.turn : '',
      verdict: verdict(),
      first: cot.first,
      shown: !!find('#cot-shown'),
      steps: all('input[name=cot-step]:checked').map(box => Number(box.value)),
      texts: all('textarea[data-step]').map(box => [Number(box.dataset.step), box.value]),
      note: find('#cot-note') ? find('#cot-note').value : '',
      seconds: (performance.now() - cot.since) / 1000,
      warned: !!find('.cot-message[data-warned]'),
    });
  };
  cot.answered = () => { cot.busy = 0; };

  // A new sample on the page: its time begins, and nothing of the one before it stays. Gradio changes the elements
  // that are there, and these would keep what was chosen and written in them.
  const fresh = new WeakMap();
  new MutationObserver(() => {
    for (const part of all('[data-turn]')) {
      if (fresh.get(part) === part.dataset.turn) continue;
      fresh.set(part, part.dataset.turn);
      for (const box of part.querySelectorAll('input')) box.checked = box.defaultChecked;
      for (const box of part.querySelectorAll('textarea')) {
        box.value = box.defaultValue;
        box.dataset.was = box.value;
        box.classList.remove('cot-changed');
        box.style.height = '';
      }
    }
    const on = sheet();
    if (!on || on.dataset.turn === cot.turn) return;
    cot.turn = on.dataset.turn;
    cot.since = performance.now();
    cot.first = on.dataset.first || null;
    cot.busy = 0;
    sessionStorage.setItem(NAME, on.dataset.annotator);
    find('#cot-left').scrollTop = 0;
    if (document.activeElement) document.activeElement.blur();
  }).observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ['data-turn'] });

  const press = id => { const button = find(id); if (button && !button.disabled) button.click(); };
  const forward = () => {
    if (performance.now() - cot.busy < 5000 && cot.busy) return;
    press(find('#cot-shown') ? '#cot-save' : '#cot-show');
  };
  // A picture as large as the window takes, in a dialog that any click and Escape close.
  const enlarge = small => {
    let dialog = find('#cot-whole');
    if (!dialog) {
      dialog = document.createElement('dialog');
      dialog.id = 'cot-whole';
      dialog.append(new Image());
      dialog.addEventListener('click', () => dialog.close());
      find('.gradio-container').append(dialog);
    }
    const large = dialog.firstChild, wide = small.naturalWidth, high = small.naturalHeight;
    const times = Math.min(3, (0.98 * innerWidth) / wide, (0.98 * innerHeight) / high);
    Object.assign(large, { src: small.src, alt: small.alt, width: times * wide, height: times * high });
    dialog.showModal();
  };
  const help = () => {
    const dialog = find('#cot-help');
    if (dialog) dialog.open ? dialog.close() : dialog.showModal();
  };

  document.addEventListener('keydown', event => {
    const at = event.target;
    if (event.isComposing || event.metaKey || event.altKey || !at.matches) return;
    if (at.matches('textarea, select, input:not([type=radio]):not([type=checkbox])')) {
      if (event.key === 'Escape') at.blur();
      if (event.key === 'Enter' && event.ctrlKey && sheet()) { event.preventDefault(); forward(); }
      return;
    }
    if (event.ctrlKey || !sheet() || find('#cot-whole[open]')) return;
    const key = event.key, left = find('#cot-left');
    const far = { ArrowDown: 60, ArrowUp: -60, PageDown: 500, PageUp: -500 }[key];
    if (far && left.scrollHeight > left.clientHeight && !at.matches('input[type=radio]')) {
      event.preventDefault();
      left.scrollBy(0, far);
    }
    if (event.repeat) return;
    if (key === '?') { event.preventDefault(); help(); return; }
    if (find('dialog[open]')) return;
    if (key === 'Enter' || key === ' ') {
      // What the Tab key has led to is used by Space and Enter as everywhere.
      if (at.matches('button, summary, a, input[type=checkbox]') && at.matches(':focus-visible')) return;
      event.preventDefault();
      forward();
      return;
    }
    const letter = key.length === 1 ? key.toLowerCase() : '';
    const choice = /^[a-z0-9]$/.test(letter) ? find(`input[name=cot-verdict][data-key="${letter}"]`) : null;
    if (choice) { choice.checked = true; return; }
    if (letter === 's') press('#cot-show');
    if (letter === 'b') press('#cot-back');
    if (/^[1-9]$/.test(key)) {
      const box = find(`input[name=cot-step][value="${key}"]`);
      if (box) box.checked = !box.checked;
    }
  });
  document.addEventListener('input', event => {
    const box = event.target;
    if (!box.matches || !box.matches('textarea[data-step]')) return;
    box.classList.toggle('cot-changed', box.value !== box.dataset.was);
  });
  document.addEventListener('click', event => {
    const at = event.target.closest ? event.target.closest('[data-cot]') : null;
    if (at && at.dataset.cot === 'help') help();
    if (at && at.dataset.cot === 'large') {
      // The dialog gives the focus back to where it was; after the mouse that is nowhere.
      if (event.detail > 0) at.blur();
      enlarge(at.querySelector('img'));
    }
    if (at && at.dataset.cot === 'leave') { sessionStorage.setItem(NAME, ''); location.reload(); }
    // What the mouse has chosen does not take the keys that come after.
    if (event.detail > 0 && event.target.matches('input[type=radio], input[type=checkbox], summary, button')) {
      event.target.blur();
    }
  });
}
"""
