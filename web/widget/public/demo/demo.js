// Shows the address of this server in the example.
document.getElementById("server").textContent = new URL("..", location.href).href.replace(/\/$/, "")
