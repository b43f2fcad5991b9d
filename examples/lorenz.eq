# The Lorenz attractor: nearby solutions part like exp(0.9*t), so no double reaches t = 100.
# Veigend, PhD thesis (Brno 2023), sec. 4.6 (4.56).
param sigma = 10, rho = 28, beta = 8/3

x' = sigma*(y - x)
y' = rho*x - y - x*z
z' = x*y - beta*z

init x = 1, y = 1, z = 1
run 0 .. 30
