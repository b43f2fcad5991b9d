# The Mackey-Glass equation: blood cells are made by what their number was a time tau ago. Chaos from one equation.
# Mackey, Glass, Science 197 (1977) 287-289. --set tau=6: a limit cycle; tau = 4: an equilibrium.
param beta = 0.2, gamma = 0.1, n = 10, tau = 17

x' = beta*past/(1 + past^n) - gamma*x
past = delay(x, tau)

init x = 1.2                      # and so it was before the start
run 0 .. 600
