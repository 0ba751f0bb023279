// The join page: hands what is behind the '#' of the address, or a code that is typed, to the service, once.

const message = document.getElementById("message");
const form = document.getElementById("form");
const code = document.getElementById("code");

async function join(invitation) {
  message.textContent = "Joining…";
  try {
    const answer = await fetch("api/join", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(invitation),
    });
    const said = await answer.json();
    if (answer.ok) {
      location.hash = said.game ? `#/game/${encodeURIComponent(said.game)}` : "";
      location.reload();
    } else {
      message.textContent = said.detail;
    }
  } catch {
    message.textContent = "The service does not answer; is the phone in the same network? Then scan the code again.";
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  join({ code: code.value });
});

const behind = location.hash.slice(1);
if (behind.startsWith("table=")) join({ table: behind.slice("table=".length) });
else if (behind && !behind.startsWith("/")) join({ secret: behind });
