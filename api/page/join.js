// The join page: hands the secret behind the '#' of the address to the service, once.

const message = document.getElementById("message");

async function join(secret) {
  message.textContent = "Joining…";
  const answer = await fetch("api/join", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ secret }),
  });
  if (answer.ok) {
    location.replace("/");
  } else {
    message.textContent = (await answer.json()).detail;
  }
}

const secret = location.hash.slice(1);
if (secret) {
  join(secret).catch(() => {
    message.textContent = "The service does not answer; is the phone in the same network? Then scan the code again.";
  });
}
